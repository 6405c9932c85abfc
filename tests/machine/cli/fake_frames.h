/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fake_frames.h - frames that no child may send, by name.
 */
#ifndef TESTS_MACHINE_CLI_FAKE_FRAMES_H
#define TESTS_MACHINE_CLI_FAKE_FRAMES_H

#include <stdbool.h>

/**
 * fake_frame_send() - sends the frame @name on the control channel
 * Return: false if there is none of that name; ends the process if it could not
 * be sent.
 */
bool fake_frame_send(const char *name);

#endif

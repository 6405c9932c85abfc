// SPDX-License-Identifier: Apache-2.0
/*
 * log_sink.c - children's log records. Runs in the monitor. A record may be
 * forged by a child that its guest took over: it can lie in its own name only.
 */
#define LOG_MODULE "log"
#include "monitor/machine/log_sink.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ipc/log.h"

#define LOG_SINK_WINDOW_NS 1000000000ull

int log_sink_admit(struct log_sink *s, uint64_t now_ns)
{
	if (now_ns - s->window_ns >= LOG_SINK_WINDOW_NS) {
		if (s->dropped)
			log_warn("%s[%d]: %u log records dropped, more than "
				 "%u in a second",
				 s->name, s->pid, s->dropped, LOG_SINK_RATE);
		s->window_ns = now_ns;
		s->cnt = 0;
		s->dropped = 0;
	}
	if (s->cnt == LOG_SINK_RATE) {
		s->dropped++;
		return 0;
	}
	s->cnt++;
	return 1;
}

void log_sink_write(struct log_sink *s, const Bulkhead__Child__Log *record,
		    uint64_t now_ns)
{
	char text[LOG_TEXT_MAX];
	char module[LOG_MODULE_MAX];
	char line[LOG_TEXT_MAX + 256];
	size_t len;

	if ((uint32_t)record->level > s->level || !log_sink_admit(s, now_ns))
		return;
	(void)log_text_escape(text, sizeof(text), record->text);
	(void)log_text_escape(module, sizeof(module), record->module);
	len = log_line_format(line, sizeof(line), record->realtime_ns, s->name,
			      s->pid, (enum log_level)record->level, module,
			      text);
	if (record->has_suppressed && record->suppressed)
		log_warn("%s[%d]: %u records like the next one were dropped",
			 s->name, s->pid, record->suppressed);
	(void)log_fd_write(STDERR_FILENO, line, len);
}

# SPDX-License-Identifier: Apache-2.0
# A command line one byte below the limit that `bulkhead check` names arrives
# whole; one byte over it is refused with both numbers (CASES C16).
. "$E2E/lib.sh"
limit=$(bulkhead check --kernel "$E2E/guest/6.1-cloud/bzImage" \
	--cmdline short 2>"$W/check" |
	sed -n 's/^cmdline: .*limit \([0-9]*\).*/\1/p')
[ -n "$limit" ] || fail "bulkhead check names no limit"

# line_of LENGTH - a command line of exactly that many bytes
line_of()
{
	base="$QUICK panic=-1 e2e=cmdline,poweroff pad="
	pad=$(($1 - ${#base}))
	printf '%s%s' "$base" "$(yes x | head -n $pad | tr -d '\n')"
}

# boot LINE - like machine(), with this command line and no other
boot()
{
	rm -f "$W/console"
	rc=0
	timeout "$LIMIT" bulkhead run \
		--kernel "$E2E/guest/6.1-cloud/bzImage" \
		--initrd "$E2E/guest/6.1-cloud/initrd" --cmdline "$1" \
		--console "file=$W/console" </dev/null >"$W/log" 2>&1 || rc=$?
}

line=$(line_of $((limit - 1)))
boot "$line"
expect_rc 0
expect_fact cmdline-length $((limit - 1))
expect_fact cmdline-sha256 "$(printf '%s' "$line" | sha256sum | cut -c1-64)"
boot "$(line_of $((limit + 1)))"
expect_rc 2
grep -q "$limit" "$W/log" && grep -q $((limit + 1)) "$W/log" ||
	fail "the refusal does not say both numbers"

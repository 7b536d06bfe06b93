/** Process exit codes: usage, retry later, configuration, anything else (sysexits.h). */
export const exitCodes = { ok: 0, failure: 1, usage: 64, tryAgain: 75, configuration: 78 } as const

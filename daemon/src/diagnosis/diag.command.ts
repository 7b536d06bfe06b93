import { lookup } from 'node:dns/promises'
import type { Clock } from '@svc/shared/kit/clock.ts'
import type { DaemonConfig } from '../config.ts'
import { diagnoseRelay, type Diagnosis } from './diagnose-relay.ts'

type Run = { config: DaemonConfig; clock: Clock; form: 'json' | 'text'; print: (text: string) => void }

/** `svcd diag`: prints what keeps this machine from the relay; returns the exit code. */
export async function diag({ config, clock, form, print }: Run): Promise<number> {
  const diagnosis = await diagnoseRelay({
    relay: config.relay,
    clock,
    lookup: (host) => lookup(host, { all: true }),
  })
  print(form === 'json' ? `${JSON.stringify(diagnosis)}\n` : asText(diagnosis))
  return diagnosis.exitCode
}

const marks = { ok: 'ok     ', failed: 'FAILED ', skipped: 'skipped' } as const

function asText({ checks, cause }: Diagnosis): string {
  const lines = checks.map(({ name, result, message }) => `${marks[result]}  ${name.padEnd(13)}  ${message}`)
  if (cause === undefined) lines.push('', 'The relay can be reached.')
  else lines.push('', `${cause.code}: ${cause.message}`, cause.hint)
  return `${lines.join('\n')}\n`
}

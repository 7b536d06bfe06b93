import type { DaemonMessage } from '@svc/shared/wire/daemon/live-messages.ts'

type Welcome = Extract<DaemonMessage, { type: 'welcome' }>

export type ArrivingText = ReturnType<typeof arrivingText>

/** A text that arrives in parts. Messages that arrive before its last part wait in `early`. */
export function arrivingText(welcome: Welcome) {
  const parts: string[] = []
  const early: DaemonMessage[] = []
  return {
    welcome,
    early,
    /** Adds a part; returns whether it was the last. */
    take: (part: string) => parts.push(part) === welcome.parts,
    text: () => parts.join(''),
  }
}

import type { Tone } from '../controls/status.tsx'
import type { AgentAccess, Integration } from './agents-api.ts'

export const accessNames: Record<AgentAccess, string> = { read: 'Reads only', write: 'Reads and writes' }

export const stateNames: Record<Integration['state'], { word: string; tone: Tone }> = {
  requested: { word: 'Waits for you', tone: 'warning' },
  approved: { word: 'Approved', tone: 'good' },
  paused: { word: 'Paused', tone: 'idle' },
  revoked: { word: 'Revoked', tone: 'bad' },
  expired: { word: 'Expired', tone: 'warning' },
  blocked: { word: 'Blocked by the platform', tone: 'bad' },
}

type Counts = { reads: number; writes: number; undone: number | null }

/** The activity of an agent as text. Says nothing about undone changes if no daemon has reported any. Pure. */
export function countWords({ reads, writes, undone }: Counts): string {
  const of = (count: number, one: string) => `${count.toLocaleString('en')} ${one}${count === 1 ? '' : 's'}`
  const known = undone === null ? '' : `, ${undone.toLocaleString('en')} undone`
  return `${of(reads, 'read')}, ${of(writes, 'change')}${known}`
}

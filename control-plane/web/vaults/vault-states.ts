import type { DaemonMode, OrganizationVaults, VaultState } from '../answers.ts'
import type { Tone } from '../controls/status.tsx'

/** The text for a daemon state on the home page, and the action that a person can take. */
export type StateWords = { tone: Tone; word: string; meaning?: string }

const words: Record<VaultState, Record<DaemonMode, StateWords>> = {
  available: {
    self_hosted: { tone: 'good', word: 'Connected' },
    cloud_hosted: { tone: 'good', word: 'Running' },
  },
  offline: {
    self_hosted: {
      tone: 'bad',
      word: 'Not connected',
      meaning: 'The host is not connected, so its vaults cannot be opened from here. Start svcd on its machine.',
    },
    cloud_hosted: {
      tone: 'warning',
      word: 'Not reachable',
      meaning:
        'The host is not set up yet, or not reachable at the moment. It starts by itself; this page keeps looking.',
    },
  },
  sleeping: {
    self_hosted: { tone: 'idle', word: 'Sleeping', meaning: 'The host sleeps.' },
    cloud_hosted: {
      tone: 'idle',
      word: 'Sleeping',
      meaning: 'Nobody used these vaults for a while, so the host sleeps. It wakes in a few seconds.',
    },
  },
  starting: {
    self_hosted: {
      tone: 'busy',
      word: 'Starting',
      meaning: 'The host is starting. This page shows its vaults soon.',
    },
    cloud_hosted: {
      tone: 'busy',
      word: 'Starting',
      meaning: 'The host is starting. This page shows its vaults soon.',
    },
  },
  failed: {
    self_hosted: {
      tone: 'bad',
      word: 'Failed',
      meaning: 'The host does not answer as it should. Its log on its machine says why.',
    },
    cloud_hosted: {
      tone: 'bad',
      word: 'Failed',
      meaning: 'The host could not be started. Its status says why; your notes are kept.',
    },
  },
}

/** The words for the state of an organization's vaults. */
export function describeState({ state, daemonMode }: Pick<OrganizationVaults, 'state' | 'daemonMode'>): StateWords {
  return words[state][daemonMode]
}

const EVERY_MS: Record<VaultState, number> = {
  starting: 2000,
  offline: 5000,
  failed: 10_000,
  sleeping: 15_000,
  available: 2000,
}

const NO_ORGANIZATION_MS = 30_000

/** Milliseconds until the list is read again: short if something is about to change. */
export function refreshAfter(organizations: Pick<OrganizationVaults, 'state'>[]): number {
  return Math.min(NO_ORGANIZATION_MS, ...organizations.map(({ state }) => EVERY_MS[state]))
}

/** True if a vault can be opened, possibly after its daemon was woken. */
export function canOpen(state: VaultState): boolean {
  return state === 'available' || state === 'sleeping' || state === 'starting'
}

import { systemClock } from '@svc/shared/kit/clock.ts'
import type { DaemonClient } from '../api/daemon-client.ts'
import { asRefusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { linkIndex } from '../links/link-index.ts'
import type { OpenVault } from '../vaults/vault-context.ts'
import { dailyNote } from './daily-note.ts'
import { dailyTemplate } from './templates.ts'

type Deps = { client: DaemonClient } & Pick<
  OpenVault,
  'vault' | 'index' | 'sessions' | 'open' | 'setMode' | 'refreshTree' | 'announce'
>

/** Opens today's note, and creates it if it does not exist. Of several simultaneous requests, only one creates it. */
export async function openDailyNote(deps: Deps): Promise<void> {
  const { client, vault, index, sessions, open, setMode, refreshTree, announce } = deps
  try {
    // Before the tree has come, a template would seem to be missing.
    const known = index.isKnown ? index : linkIndex((await client.readTree(vault.id)).tree)
    const template = dailyTemplate(known)?.path
    const text =
      template &&
      (sessions.find(template)?.text() ?? (await client.readNote({ vaultId: vault.id, path: template })).content)
    const daily = dailyNote(text, { now: systemClock.now() })
    if ('problem' in daily) return announce(`The note of today cannot be made: ${daily.problem}`)
    const isNew = await client.createNote({ vaultId: vault.id, path: daily.path }, daily.content).then(
      () => true,
      (thrown: unknown) => {
        if (asRefusal(thrown).code === 'note_exists') return false
        throw thrown
      },
    )
    if (isNew) refreshTree()
    setMode('source')
    open(daily.path)
  } catch (thrown) {
    announce(`The note of today could not be opened: ${failureText(asRefusal(thrown)).title}`)
  }
}

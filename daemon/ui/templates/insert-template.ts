import { systemClock } from '@svc/shared/kit/clock.ts'
import type { DaemonClient } from '../api/daemon-client.ts'
import { asRefusal } from '../api/refusal.ts'
import { failureText } from '../app/failure-text.ts'
import { splitFrontMatter } from '../markdown/front-matter.ts'
import type { OpenVault } from '../vaults/vault-context.ts'
import { fromTemplate, titleOf } from './daily-note.ts'

type Deps = { client: DaemonClient } & Pick<OpenVault, 'vault' | 'sessions' | 'tabs' | 'announce'>

/**
 * Inserts a template at the cursor of a note that is being edited, with title, date and time filled in. The properties
 * of the template are only inserted into an empty note.
 */
export async function insertTemplate(
  { client, vault, sessions, tabs, announce }: Deps,
  at: { template: string; note: string },
) {
  const { template, note } = at
  try {
    const text =
      sessions.find(template)?.text() ?? (await client.readNote({ vaultId: vault.id, path: template })).content
    const filled = fromTemplate(text, { title: titleOf(note), now: systemClock.now() })
    const session = sessions.find(note)
    const insert = session?.memoryOf(tabs.current().focused).insert
    if (!session || !insert) return announce('Choose Edit first: a template is put at the cursor.')
    insert(session.text().trim() === '' ? filled : splitFrontMatter(filled).body)
  } catch (thrown) {
    announce(`The template could not be read: ${failureText(asRefusal(thrown)).title}`)
  }
}

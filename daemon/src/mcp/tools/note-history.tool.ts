import { fail } from '@svc/shared/wire/errors.ts'
import { noteHistory } from '@svc/shared/wire/mcp/file-tools.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { TextRoom } from '../../http/text-room.ts'
import type { NoteHistory } from '../../history/note-history.ts'
import type { ReadHistory } from '../../history/read-history.ts'
import type { Vault } from '../../vaults/vault.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

type Deps = {
  registry: VaultRegistry
  historyOf: (vault: Vault) => NoteHistory
  readHistory: ReadHistory
  textRoom: TextRoom
}

const MAX_CHARS = 60_000

/** Who wrote what when: the list of versions, one version's text, or the difference of two. */
export const noteHistoryTool = ({ registry, historyOf, readHistory, textRoom }: Deps) =>
  makeTool(noteHistory, async ({ vaultId, path: asked, rev, from, to, limit, cursor }, { by }) => {
    const vault = registry.find(vaultId)
    const history = historyOf(vault)
    const path = vault.manifest.onDisk(parseVaultPath(asked))
    const common = () => ({ path, state: history.state() })

    if (rev !== undefined)
      return textRoom.during(by, async (reserve) => {
        const content = await readHistory.textAt(history, { path, rev, reserve })
        return { ...common(), ...cut('content', content) }
      })
    if (to !== undefined && from === undefined)
      throw fail('invalid_request', [{ path: 'from', message: 'is needed with to' }])
    if (from !== undefined) {
      const end = to ?? (await newestRevision({ readHistory, history, path }))
      return textRoom.during(by, async (reserve) => {
        const diff = await readHistory.diff(history, { path, from, to: end, reserve })
        return { ...common(), ...cut('diff', diff) }
      })
    }

    const offset = Number(cursor ?? 0)
    const { revisions, hasMore } = await readHistory.revisions(history, { path, limit, offset })
    return {
      ...common(),
      revisions: revisions.map(({ rev: id, at, author: { kind, name }, message }) => ({
        rev: id,
        at,
        author: { kind, name },
        message,
      })),
      ...(hasMore && { nextCursor: String(offset + limit) }),
    }
  })

type Place = { readHistory: ReadHistory; history: NoteHistory; path: string }

async function newestRevision({ readHistory, history, path }: Place): Promise<string> {
  const [newest] = (await readHistory.revisions(history, { path, limit: 1, offset: 0 })).revisions
  if (!newest) throw fail('not_found')
  return newest.rev
}

function cut<Name extends 'content' | 'diff'>(name: Name, text: string) {
  const isCut = text.length > MAX_CHARS
  const shown = { [name]: isCut ? text.slice(0, MAX_CHARS).toWellFormed() : text } as Record<Name, string>
  return { ...shown, ...(isCut && { truncated: true }) }
}

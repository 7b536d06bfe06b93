import { isUtf8 } from 'node:buffer'
import { fail } from '@svc/shared/wire/errors.ts'
import { parseResourceUri, resourceUri } from '@svc/shared/wire/mcp/resource-uri.ts'
import { readAttachment } from '../attachments/read-attachment.ts'
import { contentTypeOf } from '../attachments/content-type.ts'
import { parseVaultPath } from '../files/vault-path.ts'
import { MAX_JSON_LENGTH } from '../http/http-server.ts'
import type { ReadNote } from '../notes/read-note.ts'
import { isNote } from '../vaults/reading/is-note.ts'
import type { VaultRegistry } from '../vaults/vault-registry.ts'

type Deps = { registry: VaultRegistry; readNote: ReadNote }
type Resource = { uri: string; name: string; title?: string; mimeType: string; size: number }
type Contents = { uri: string; mimeType: string; _meta: { baseline: string } } & ({ text: string } | { blob: string })

/** The files of the vaults as MCP resources, for clients that show or attach them. */
export type VaultResources = {
  list(asked: { cursor: string | undefined; may: MayUse }): Promise<{ resources: Resource[]; nextCursor?: string }>
  read(asked: { uri: string; may: MayUse }): Promise<{ contents: Contents[] }>
}

/** Whether the caller may use a vault. Any other vault is reported as not found. */
export type MayUse = (vaultId: string) => boolean

export const resourceTemplate = {
  uriTemplate: 'vault://{vaultId}/{+path}',
  name: 'file',
  title: 'A note or attachment',
  description: 'vaultId from list_vaults; path relative to the vault.',
}

const PAGE = 200
const MAX_BYTES = 1024 * 1024
const MARKDOWN = 'text/markdown'
const TEXTS = /^(?:text\/|application\/json|image\/svg)/

export function vaultResources({ registry, readNote }: Deps): VaultResources {
  return {
    async list({ cursor, may }) {
      const from = offsetIn(cursor)
      const resources: Resource[] = []
      let place = 0
      for (const vault of registry.list()) {
        if (!may(vault.id)) continue
        await vault.listed
        for (const { path, stamp, facts } of vault.manifest.files()) {
          if (place++ < from) continue
          if (resources.length === PAGE) return { resources, nextCursor: String(from + PAGE) }
          const isNote = facts?.kind === 'note'
          resources.push({
            uri: resourceUri({ vaultId: vault.id, path }),
            name: path.slice(path.lastIndexOf('/') + 1),
            ...(isNote && { title: facts.title }),
            mimeType: isNote ? MARKDOWN : contentTypeOf(path),
            size: stamp.size,
          })
        }
      }
      return { resources }
    },

    async read({ uri, may }) {
      const named = parseResourceUri(uri)
      if (!named || !may(named.vaultId)) throw fail('not_found')
      const vault = registry.find(named.vaultId)
      const path = parseVaultPath(named.path)
      if (await isNote(vault, vault.manifest.onDisk(path))) {
        const { content, baseline } = await readNote(vault, path)
        if (content.length > MAX_JSON_LENGTH) throw fail('payload_too_large', { maxLength: MAX_JSON_LENGTH })
        return { contents: [{ uri, mimeType: MARKDOWN, text: content, _meta: { baseline } }] }
      }
      const { bytes, contentType, baseline } = await readAttachment({ vault, path, maxBytes: MAX_BYTES })
      const common = { uri, mimeType: contentType, _meta: { baseline } }
      const isText = TEXTS.test(contentType) && isUtf8(bytes)
      return {
        contents: [{ ...common, ...(isText ? { text: bytes.toString('utf8') } : { blob: bytes.toString('base64') }) }],
      }
    },
  }
}

function offsetIn(cursor: string | undefined): number {
  if (cursor !== undefined && !/^\d{1,9}$/.test(cursor))
    throw fail('invalid_request', [{ path: 'cursor', message: 'is not a cursor of this list' }])
  return Number(cursor ?? 0)
}

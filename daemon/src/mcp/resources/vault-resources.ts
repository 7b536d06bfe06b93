import { isUtf8 } from 'node:buffer'
import { fail } from '@svc/shared/wire/errors.ts'
import { parseResourceUri, resourceUri, type ResourceName } from '@svc/shared/wire/mcp/resource-uri.ts'
import { readAttachment } from '../../attachments/read-attachment.ts'
import { contentTypeOf } from '../../attachments/content-type.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import { MAX_JSON_LENGTH } from '../../http/http-server.ts'
import { kindOfFile } from '../../notes/kind-of-file.ts'
import type { ReadNote } from '../../notes/read-note.ts'
import type { Vault } from '../../vaults/vault.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { slices } from '../../watch/slices.ts'
import { pathsAfter } from './paths-after.ts'

type Deps = { registry: VaultRegistry; readNote: ReadNote }
type Resource = { uri: string; name: string; title?: string; mimeType: string; size: number }
type Page = { resources: Resource[]; nextCursor?: string }
type Contents = { uri: string; mimeType: string; _meta: { baseline: string } } & ({ text: string } | { blob: string })

/** The files of the vaults as MCP resources, for clients that show or attach them. */
export type VaultResources = {
  /**
   * The files after a cursor, by path. Without `cursors`, and after a cursor of such a page, by position: a file can then
   * be missed or listed twice if others appear or disappear meanwhile.
   */
  list(asked: { cursor: string | undefined; cursors: 'long' | undefined; may: MayUse }): Promise<Page>
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
    async list({ cursor, cursors, may }) {
      const vaults = registry.list().filter(({ id }) => may(id))
      const position = cursor === undefined && cursors === undefined ? 0 : positionIn(cursor)
      return position === undefined ? listAfter(vaults, placeOf(cursor)) : listFrom(vaults, position)
    },

    async read({ uri, may }) {
      const named = parseResourceUri(uri)
      if (!named || !may(named.vaultId)) throw fail('not_found')
      const vault = registry.find(named.vaultId)
      const path = parseVaultPath(named.path)
      if ((await kindOfFile(vault, vault.manifest.onDisk(path))) === 'note') {
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

async function listAfter(vaults: readonly Vault[], last: ResourceName | undefined): Promise<Page> {
  const found: { vault: Vault; path: string }[] = []
  const pause = slices()
  for (const vault of vaults) {
    if (last && vault.id < last.vaultId) continue
    await vault.listed
    const after = vault.id === last?.vaultId ? last.path : undefined
    const most = PAGE + 1 - found.length
    for (const path of await pathsAfter(vault.manifest.asOfNow(), { after, most, pause })) found.push({ vault, path })
    if (found.length > PAGE) break
  }
  const page = found.slice(0, PAGE)
  const resources = page.flatMap(({ vault, path }) => resourceOf(vault, path) ?? [])
  const end = page.at(-1)
  if (found.length <= PAGE || !end) return { resources }
  return { resources, nextCursor: resourceUri({ vaultId: end.vault.id, path: end.path }) }
}

async function listFrom(vaults: readonly Vault[], position: number): Promise<Page> {
  const resources: Resource[] = []
  const pause = slices()
  let place = 0
  for (const vault of vaults) {
    await vault.listed
    for (const { path } of vault.manifest.files()) {
      await pause()
      if (place === position + PAGE) return { resources, nextCursor: String(place) }
      const resource = place++ >= position ? resourceOf(vault, path) : undefined
      if (resource) resources.push(resource)
    }
  }
  return { resources }
}

/** Undefined for a file that has just been removed. */
function resourceOf({ id, manifest }: Vault, path: string): Resource | undefined {
  const file = manifest.file(path)
  if (!file) return undefined
  const note = file.facts?.kind === 'note' ? file.facts : undefined
  return {
    uri: resourceUri({ vaultId: id, path }),
    name: path.slice(path.lastIndexOf('/') + 1),
    ...(note && { title: note.title }),
    mimeType: note ? MARKDOWN : contentTypeOf(path),
    size: file.stamp.size,
  }
}

/** Undefined for a cursor that is no position. */
const positionIn = (cursor: string | undefined): number | undefined =>
  cursor !== undefined && /^\d{1,9}$/.test(cursor) ? Number(cursor) : undefined

/** A cursor is the address of the last file before the page: files that change meanwhile keep their place. */
function placeOf(cursor: string | undefined): ResourceName | undefined {
  if (cursor === undefined) return undefined
  const place = parseResourceUri(cursor)
  if (!place) throw fail('invalid_request', [{ path: 'cursor', message: 'is not a cursor of this list' }])
  return place
}

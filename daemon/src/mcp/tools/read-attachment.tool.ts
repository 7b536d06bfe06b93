import { isUtf8 } from 'node:buffer'
import { fail } from '@svc/shared/wire/errors.ts'
import type { ToolContent } from '@svc/shared/wire/mcp/agent-call.api.ts'
import { attachmentLimits, readAttachment } from '@svc/shared/wire/mcp/file-tools.ts'
import { readAttachment as read } from '../../attachments/read-attachment.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import { kindOfFile } from '../../notes/kind-of-file.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { resourceUri } from '@svc/shared/wire/mcp/resource-uri.ts'
import { makeTool, withContent } from '../tool.ts'

// The picture formats that models accept; other pictures are returned as bytes.
const PICTURES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const TEXTS = /^(?:text\/|application\/json|image\/svg)/

/** Reads an attachment in the form that a model can use: text, picture or bytes. */
export const readAttachmentTool = ({ registry }: { registry: VaultRegistry }) =>
  makeTool(readAttachment, async ({ vaultId, path: asked }) => {
    const vault = registry.find(vaultId)
    const path = parseVaultPath(asked)
    if ((await kindOfFile(vault, vault.manifest.onDisk(path))) === 'note')
      throw fail('invalid_request', [{ path: 'path', message: 'is the path of a note: use read_note' }])

    const { bytes, ...told } = await read({ vault, path, maxBytes: attachmentLimits.read })
    if (TEXTS.test(told.contentType) && isUtf8(bytes)) return { ...told, text: bytes.toString('utf8') }
    return withContent(told, [contentOf({ vaultId, ...told, bytes })])
  })

type File = { vaultId: string; path: string; contentType: string; bytes: Buffer }

function contentOf({ vaultId, path, contentType, bytes }: File): ToolContent {
  const data = bytes.toString('base64')
  if (PICTURES.has(contentType)) return { type: 'image', data, mimeType: contentType }
  return { type: 'resource', resource: { uri: resourceUri({ vaultId, path }), mimeType: contentType, blob: data } }
}

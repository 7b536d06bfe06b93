import { Readable } from 'node:stream'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { attachmentLimits, writeAttachment } from '@svc/shared/wire/mcp/file-tools.ts'
import type { WriteAttachment } from '../../attachments/write-attachment.ts'
import { parseVaultPath } from '../../files/vault-path.ts'
import type { VaultRegistry } from '../../vaults/vault-registry.ts'
import { makeTool } from '../tool.ts'

type Deps = { registry: VaultRegistry; writeAttachment: WriteAttachment }

/** Stores the bytes of an attachment; without a baseline only if there is no file at the path. */
export const writeAttachmentTool = ({ registry, writeAttachment: write }: Deps) =>
  makeTool(writeAttachment, async ({ vaultId, path, data, baseline }, { by }) => {
    const bytes = decode(data)
    const written = await write({
      vault: registry.find(vaultId),
      path: parseVaultPath(path),
      body: Readable.from(bytes.length === 0 ? [] : [bytes]),
      expect: baseline === undefined ? { kind: 'absent' } : { kind: 'one_of', baselines: [baseline] },
      by,
    }).catch(tellHowToReplace)
    return { path: written.path, baseline: written.baseline, size: bytes.length, created: written.created }
  })

function tellHowToReplace(error: unknown): never {
  if (!isFailure(error, 'note_exists')) throw error
  const next = 'Pass this baseline to replace the file, or choose another path.'
  throw fail(
    'note_exists',
    { ...(error.details as object | undefined), next },
    { message: 'A file with this path exists.' },
  )
}

/** Decodes strict base64. Node skips invalid characters, so something else than what was sent would be stored. */
function decode(data: string): Buffer {
  const bytes = Buffer.from(data, 'base64')
  if (bytes.length > attachmentLimits.write) throw fail('payload_too_large', { maxBytes: attachmentLimits.write })
  if (bytes.toString('base64') !== data)
    throw fail('invalid_request', [{ path: 'data', message: 'is not padded base64 without blanks' }])
  return bytes
}

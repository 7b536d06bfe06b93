import { fail } from '@svc/shared/wire/errors.ts'
import type { Actor } from '../entry/actor.ts'
import type { FileStamp } from '../files/file-stamp.ts'
import { stageFile } from '../files/stage-file.ts'
import type { Expectation } from '../files/expectation.ts'
import { attemptAt } from '../vaults/attempt-at.ts'
import { newFilePath } from '../vaults/new-names.ts'
import { putFile } from '../vaults/put-file.ts'
import { isMarkdownName, type VaultPath } from '../files/vault-path.ts'
import type { Vault } from '../vaults/vault.ts'
import { attachmentBaseline } from './read-attachment.ts'
import { findAttachment } from './stored-attachment.ts'

type Upload = { vault: Vault; path: VaultPath; body: AsyncIterable<Buffer>; expect: Expectation; by: Actor }
type Written = { path: string; stamp: FileStamp; baseline: string; created: boolean }

/** Stores an attachment: the body is complete and synced before anything in the vault changes. */
export type WriteAttachment = (upload: Upload) => Promise<Written>

const ROOM_BYTES = 4 * 1024 * 1024

/** Stores the bytes of an attachment as they arrive, up to a limit. */
export function createWriteAttachment({ maxBytes }: { maxBytes: number }): WriteAttachment {
  return async ({ vault, path, body, expect, by }) => {
    if (isMarkdownName(path)) throw fail('invalid_request', [{ path: 'path', message: 'is the path of a note' }])
    const staged = await stageFile(vault.files, limited(vault, body, maxBytes))

    const attempt = async (): Promise<Written | undefined> => {
      const current = await findAttachment(vault, path)
      const before = current && attachmentBaseline(current.stamp)
      refuseUnexpected(expect, before)

      const target = current?.path ?? (await newFilePath(vault, path))
      const put = { vault, path: target, staged, over: current, by, tool: 'write_attachment', before }
      const stamp = await putFile({ ...put, afterOf: attachmentBaseline })
      return stamp && { path: target, stamp, baseline: attachmentBaseline(stamp), created: !current }
    }
    try {
      return await attemptAt(vault, path, attempt)
    } finally {
      await staged.discard()
    }
  }
}

async function* limited(vault: Vault, body: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let bytes = 0
  let room = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw fail('payload_too_large', { maxBytes })
    if (bytes > room) {
      room = bytes + ROOM_BYTES
      await vault.files.makeRoom(ROOM_BYTES)
    }
    yield chunk
  }
}

function refuseUnexpected(expect: Expectation, before: string | undefined): void {
  if (before === undefined) {
    if (expect.kind === 'one_of' || expect.kind === 'any') throw fail('not_found')
    return
  }
  if (expect.kind === 'absent') throw fail('note_exists', { baseline: before })
  if (expect.kind === 'unsaid')
    throw fail('invalid_request', [{ path: 'if-match', message: 'is needed to replace a file that exists' }])
  if (expect.kind === 'one_of' && !expect.baselines.includes(before)) throw fail('stale_doc', { baseline: before })
}

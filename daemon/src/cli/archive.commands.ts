import { randomBytes } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { access, rename, rm } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import { LEFT_OUT_HEADER, VaultImported } from '@svc/shared/wire/daemon/daemon-archives.api.ts'
import { fail, isFailure } from '@svc/shared/wire/errors.ts'
import { Slug, slugify } from '@svc/shared/wire/ids.ts'
import { isThere, writeNewFile } from '../files/durable-file.ts'
import { readableBytes, type Command } from './command.ts'

const TOLD_EVERY = 32 * 1024 * 1024

/** `svcd export`: a vault as a zip. */
export const exportCommand: Command = {
  arguments: 'VAULT FILE',
  summary: 'writes a vault into a new zip file, byte for byte; hidden files are left out',
  options: {},
  optionHelp: {},
  async run({ daemon, args: [vault = '', file = ''], progress }) {
    const target = resolve(file)
    if (await isThere(target)) throw fail('path_conflict', { existing: target }, { message: `${target} exists.` })
    const answer = await (await daemon()).send(`/vaults/${encodeURIComponent(vault)}/export`)
    // A name of its own: browsers, and another export of the same vault, take the plain one.
    const draft = `${target}.${randomBytes(6).toString('hex')}.part`
    let bytes = 0
    async function* counted(): AsyncGenerator<Buffer> {
      for await (const chunk of answer.body ?? []) {
        const before = bytes
        bytes += chunk.length
        if (Math.floor(before / TOLD_EVERY) < Math.floor(bytes / TOLD_EVERY))
          progress(`${readableBytes(bytes)} written`)
        yield Buffer.from(chunk)
      }
    }
    try {
      await writeNewFile({ path: draft, content: counted() })
      await rename(draft, target)
    } catch (error) {
      await rm(draft, { force: true })
      throw error
    }
    const leftOut = Number(answer.headers.get(LEFT_OUT_HEADER) ?? 0)
    const missing = `; ${leftOut} files were left out, as an import would refuse their names: doctor lists them`
    const text = `${target}: ${readableBytes(bytes)}${leftOut > 0 ? missing : ''}`
    return { data: { vault, file: target, bytes, leftOut }, text }
  },
}

/** `svcd import`: a new vault from a zip. */
export const importCommand: Command = {
  arguments: 'FILE',
  summary: 'creates a vault from a zip file; a failed import leaves nothing behind',
  options: { id: { type: 'string' }, name: { type: 'string' } },
  optionHelp: {
    id: 'short name and folder of the new vault; the name of the file by default',
    name: 'name to show; the short name by default',
  },
  async run({ daemon, args: [file = ''], options, progress }) {
    const source = resolve(file)
    await access(source)
    const slug = typeof options['id'] === 'string' ? options['id'] : slugOf(source)
    const displayName = typeof options['name'] === 'string' ? options['name'] : slug
    const body = await openAsBlob(source)
    progress(`${readableBytes(body.size)} to send`)
    const query = new URLSearchParams({ slug, displayName })
    const request = { method: 'POST', headers: { 'content-type': 'application/zip' }, body }
    const imported = await (
      await daemon()
    )
      .read(VaultImported, `/vaults/import?${query}`, request)
      .catch((error: unknown) => {
        throw isFailure(error, 'vault_exists') ? taken(slug) : error
      })
    const { vault, files, bytes, skipped } = imported
    const left = skipped.count > 0 ? `; ${skipped.count} hidden files were left out` : ''
    return {
      data: { vault, files, bytes, skipped },
      text: `${vault.id}: ${files} files, ${readableBytes(bytes)}${left}`,
    }
  },
}

const taken = (slug: string) =>
  fail('vault_exists', undefined, { message: `A vault ${slug} exists. Choose another short name with --id.` })

function slugOf(file: string): string {
  const name = basename(file)
  const { data: slug } = Slug.safeParse(slugify(name.replace(/\.zip$/i, '')))
  if (slug !== undefined) return slug
  const problem = { path: 'slug', message: `cannot be made of the name ${name}; choose a short name with --id` }
  throw fail('invalid_request', [problem])
}

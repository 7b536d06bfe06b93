import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { Entry, getFileNameLowLevel } from 'yauzl'
import { verifies } from '../../../test/requirements.ts'
import { archiveContents } from './zip-entries.ts'

const UTF8_FLAG = 0x800

/** An entry as the library reads it. `unicode`: the name in the field of Info-ZIP. */
function entryOf(fileNameRaw: Buffer, { flags = 0, unicode }: { flags?: number; unicode?: string } = {}): Entry {
  const check = Buffer.alloc(5, 1)
  check.writeUInt32LE(crc32(fileNameRaw), 1)
  const extraFields = unicode === undefined ? [] : [{ id: 0x7075, data: Buffer.concat([check, Buffer.from(unicode)]) }]
  return Object.assign(new Entry(), {
    fileNameRaw,
    extraFields,
    fileName: getFileNameLowLevel(flags, fileNameRaw, extraFields, true),
    generalPurposeBitFlag: flags,
    versionMadeBy: 0,
    externalFileAttributes: 0,
    compressionMethod: 0,
    uncompressedSize: 0,
  })
}

async function pathsOf(...entries: Entry[]) {
  const each = async function* () {
    yield* entries
  }
  const { files, folders } = await archiveContents(each(), { maxBytes: 1, maxEntries: 10 })
  return [...folders, ...files.map(({ path }) => path)]
}

test.each([
  { what: 'UTF-8 that says so', entry: entryOf(Buffer.from('Café.md'), { flags: UTF8_FLAG }), path: 'Café.md' },
  { what: 'UTF-8 that does not', entry: entryOf(Buffer.from('Cafe\u0301/東京.md')), path: 'Cafe\u0301/東京.md' },
  { what: 'a folder in UTF-8 that does not', entry: entryOf(Buffer.from('Müll/')), path: 'Müll' },
  { what: 'the first code page', entry: entryOf(Buffer.from('Caf\x82.md', 'latin1')), path: 'Café.md' },
  { what: 'plain letters', entry: entryOf(Buffer.from('Cafe.md')), path: 'Cafe.md' },
  {
    what: 'a field for it beside what looks like UTF-8',
    entry: entryOf(Buffer.from('é.md'), { unicode: '日.md' }),
    path: '日.md',
  },
  {
    what: 'UTF-8 after which macOS writes a control character',
    entry: entryOf(Buffer.from('é/Icon\r')),
    path: 'é/Icon♪',
  },
])('a name in $what is read', async ({ entry, path }) => {
  verifies('archive.names')
  expect(await pathsOf(entry)).toEqual([path])
})

test('a name that is UTF-8 without saying so is checked like any other', async () => {
  verifies('archive.names', 'archive.hostile')
  for (const name of ['é/../x.md', '/é.md', 'é\\x.md', 'é\u0085.md', 'é//x.md'])
    await expect(pathsOf(entryOf(Buffer.from(name))), name).rejects.toMatchObject({
      code: 'invalid_request',
      details: [{ path: `body: ${name}` }],
    })
  await expect(pathsOf(entryOf(Buffer.from('é.md')), entryOf(Buffer.from('É.md')))).rejects.toMatchObject({
    code: 'path_conflict',
  })
})

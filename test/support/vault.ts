import { createHash } from 'node:crypto'
import { chmod, cp, mkdir, readFile, readdir, stat, writeFile } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const REAL_VAULT =
  process.env.SVC_TEST_VAULT ?? fileURLToPath(new URL('../../../shared/data/vaults/obsidian-help', import.meta.url))

// Each note contains something that careless programs change: line ends, a BOM, no final newline, invalid UTF-8,
// unusual YAML.
const TRICKY: Record<string, string | Buffer> = {
  'Home.md': '# Home\n\nWelcome. See [[Start here]] and [[Plans/Roadmap|the roadmap]].\n',
  'Start here.md':
    '---\ntags: [guide,  start]\naliases:\n  - "Begin"\n---\n# Start here\n\nSearch finds the word heliotrope here.\n',
  'Windows.md': '# Windows\r\n\r\nLine ends of another system.\r\n',
  'Mixed.md': 'one\r\ntwo\nthree\r\n',
  'Byte order mark.md': '\uFEFF# Marked\n\nBegins with a BOM.\n',
  'No newline.md': '# No newline\n\nends here',
  'Not UTF-8.md': Buffer.from([0x23, 0x20, 0xff, 0xfe, 0x0a]),
  'Plans/Roadmap.md': '# Roadmap\n\n- [ ] first\n- [x] second\n',
  'Plans/Über uns – café.md': '# Über uns\n\nUmlauts and an en dash in the name.\n',
  'Attachments/pixel.png': Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
}

/** Writes a vault full of awkward bytes. */
export async function writeTrickyVault(folder: string): Promise<void> {
  for (const [path, content] of Object.entries(TRICKY)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), content)
  }
}

/**
 * Copies the real vault of SVC_TEST_VAULT, or writes the tricky one if there is no such folder. Returns which of the
 * two.
 */
export async function copyVault(folder: string): Promise<'real' | 'tricky'> {
  if (!existsSync(REAL_VAULT)) {
    await writeTrickyVault(folder)
    return 'tricky'
  }
  await cp(REAL_VAULT, folder, { recursive: true, preserveTimestamps: true })
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    await chmod(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o755 : 0o644)
  await chmod(folder, 0o755)
  return 'real'
}

/** Hash and modification time of every file outside `.svc`, by path: they must not change while nobody edits. */
export async function fingerprints(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {}
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name).slice(folder.length + 1)
    if (!entry.isFile() || path.startsWith('.svc/')) continue
    const { mtimeNs } = await stat(join(folder, path), { bigint: true })
    found[path] = `${createHash('sha256')
      .update(await readFile(join(folder, path)))
      .digest('hex')} ${mtimeNs}`
  }
  return found
}

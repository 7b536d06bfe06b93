// Debian packages without privileges: downloaded with their own package state and unpacked, never installed, even as
// root. Nothing on the machine changes and no service starts.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// Hooks of the machine are for its own package state, and may need root.
const SETTINGS = `#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
#clear DPkg::Pre-Install-Pkgs;
#clear DPkg::Post-Invoke;
`

function quietly(command, args, folder) {
  try {
    execFileSync(command, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`${command} is not on this machine`, { cause: error })
    const lines = String(error.stderr ?? '')
      .split('\n')
      .filter((line) => line.startsWith('E:'))
    throw new Error(lines.at(-1) ?? error.message, { cause: error })
  }
}

/**
 * Unpacks packages, with the dependencies that this machine lacks, into a folder. Throws with the reason if it cannot.
 */
export function unpackDebianPackages(names, folder) {
  const state = mkdtempSync(join(tmpdir(), 'svc-apt-'))
  try {
    const [lists, cache, settings] = ['lists', 'cache', 'settings'].map((part) => join(state, part))
    const archives = join(cache, 'archives')
    for (const path of [join(lists, 'partial'), join(archives, 'partial')]) mkdirSync(path, { recursive: true })
    writeFileSync(settings, SETTINGS)
    const options = [`Dir::State::lists=${lists}`, `Dir::Cache=${cache}`, 'Debug::NoLocking=1', 'APT::Sandbox::User=']
    const apt = (...args) =>
      quietly('apt-get', ['-c', settings, ...options.flatMap((option) => ['-o', option]), '-qq', ...args], state)
    apt('update')
    apt('install', '--download-only', '--reinstall', '--no-install-recommends', '-y', ...names)
    const files = readdirSync(archives).filter((file) => file.endsWith('.deb'))
    if (files.length === 0) throw new Error(`apt-get fetched nothing for ${names.join(' and ')}`)
    for (const file of files) quietly('dpkg', ['-x', join(archives, file), folder], state)
  } finally {
    rmSync(state, { recursive: true, force: true })
  }
}

// Finds a Redis or Valkey server for the tests: SVC_TEST_REDIS, the PATH, an earlier copy of ours, or Debian's packages,
// installed as root or unpacked into the user's cache without root.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync, chmodSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

const PACKAGES = [
  'redis-server',
  'redis-tools',
  'libhiredis0.14',
  'libhiredis1.1.0',
  'liblzf1',
  'libjemalloc2',
  'liblua5.1-0',
  'lua-bitop',
  'lua-cjson',
  'libatomic1',
]
const ADVICE =
  'Install Redis 7 or Valkey 8 (Debian: apt-get install redis-server) or name its binary in SVC_TEST_REDIS.'

const works = (binary) => spawnSync(binary, ['--version'], { stdio: 'ignore' }).status === 0
const quietly = (command, args, options = {}) =>
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'pipe'], ...options })

function installAsRoot() {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  quietly('apt-get', ['update', '-qq'], { env })
  quietly('apt-get', ['install', '-y', '-qq', '--no-install-recommends', 'redis-server'], { env })
}

/** Debian's packages, fetched with private apt state and unpacked below the cache; a wrapper sets the library path. */
function unpackAsUser(folder) {
  const state = join(folder, 'apt')
  for (const sub of ['lists/partial', 'cache/archives/partial']) mkdirSync(join(state, sub), { recursive: true })
  const options = [
    '-o',
    `Dir::State::lists=${join(state, 'lists')}`,
    '-o',
    `Dir::Cache=${join(state, 'cache')}`,
    '-o',
    'Debug::NoLocking=1',
    '-o',
    'APT::Sandbox::User=',
  ]
  quietly('apt-get', [...options, 'update', '-qq'])
  for (const name of PACKAGES) {
    try {
      quietly('apt-get', [...options, 'download', '-qq', name], { cwd: folder })
    } catch (error) {
      if (name.startsWith('redis')) throw error // a library may be part of another Debian release under another name
    }
  }
  for (const file of readdirSync(folder))
    if (file.endsWith('.deb')) quietly('dpkg', ['-x', join(folder, file), join(folder, 'root')])

  const libraries = readdirSync(join(folder, 'root/usr/lib'))
    .map((name) => join(folder, 'root/usr/lib', name))
    .join(':')
  const wrapper = join(folder, 'redis-server')
  writeFileSync(
    wrapper,
    `#!/bin/sh\nLD_LIBRARY_PATH=${libraries} exec ${join(folder, 'root/usr/bin/redis-server')} "$@"\n`,
  )
  chmodSync(wrapper, 0o755)
  rmSync(state, { recursive: true, force: true })
}

/** Path of a working server, or the reason why there is none. */
export function findRedis() {
  const folder = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'svc-platform', 'redis')
  const wrapper = join(folder, 'redis-server')
  const candidates = [
    process.env.SVC_TEST_REDIS,
    'redis-server',
    'valkey-server',
    existsSync(wrapper) ? wrapper : undefined,
  ]
  const found = candidates.find((binary) => binary && works(binary))
  if (found) return { binary: found }

  try {
    if (process.getuid?.() === 0) {
      process.stderr.write('  Installing redis-server from Debian …\n')
      installAsRoot()
      return { binary: 'redis-server' }
    }
    process.stderr.write('  Unpacking redis-server from Debian into the cache …\n')
    mkdirSync(folder, { recursive: true })
    unpackAsUser(folder)
    if (works(wrapper)) return { binary: wrapper }
    return { missing: `Redis was unpacked but does not start. ${ADVICE}` }
  } catch (error) {
    return {
      missing: `Redis could not be had (${String(error.stderr || error.message)
        .trim()
        .split('\n')
        .at(-1)}). ${ADVICE}`,
    }
  }
}

// Finds a Redis or Valkey server for the tests: SVC_TEST_REDIS, the PATH, or Debian's package, unpacked into the cache.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cached, cachedOnce } from './cache.mjs'
import { unpackDebianPackages } from './debian.mjs'

const ADVICE =
  'Install Redis 7 or Valkey 8 (Debian: apt-get install redis-server) or name its binary in SVC_TEST_REDIS.'
const CACHED = 'redis'
const WRAPPER = 'redis-server'

const works = (binary) => spawnSync(binary, ['--version'], { stdio: 'ignore' }).status === 0

/** Unpacks the server with a script that starts it with its own libraries, wherever the folder is. */
function unpack(folder) {
  process.stderr.write('  Unpacking redis-server of Debian into the cache …\n')
  const root = join(folder, 'root')
  unpackDebianPackages(['redis-server', 'redis-tools'], root)
  const libraries = ['usr/lib', 'lib']
    .filter((parent) => existsSync(join(root, parent)))
    .flatMap((parent) => readdirSync(join(root, parent)).map((name) => `$here/root/${parent}/${name}`))
    .join(':')
  const wrapper = join(folder, WRAPPER)
  writeFileSync(
    wrapper,
    `#!/bin/sh\nhere=$(dirname -- "$0")\nLD_LIBRARY_PATH="${libraries}" exec "$here/root/usr/bin/redis-server" "$@"\n`,
  )
  chmodSync(wrapper, 0o755)
}

/** Path of a working server, or the reason why there is none. */
export async function findRedis() {
  const named = process.env.SVC_TEST_REDIS
  if (named)
    return works(named) ? { binary: named } : { missing: `SVC_TEST_REDIS names ${named}, which does not start.` }
  const found = ['redis-server', 'valkey-server'].find(works)
  if (found) return { binary: found }

  try {
    const earlier = cached(CACHED)
    if (existsSync(earlier) && !works(join(earlier, WRAPPER))) rmSync(earlier, { recursive: true, force: true })
    const binary = join(await cachedOnce(CACHED, unpack), WRAPPER)
    return works(binary) ? { binary } : { missing: `Redis was unpacked but does not start. ${ADVICE}` }
  } catch (error) {
    return { missing: `Redis could not be had (${error.message}). ${ADVICE}` }
  }
}

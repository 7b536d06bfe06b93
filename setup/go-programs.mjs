// Builds the programs that tests need from their Go modules before the tests run: a cold build takes minutes and both
// processors, for which no limit of a test has room.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { userCache } from './cache.mjs'
import { root } from './ensure.mjs'

const programs = {
  versitygw: { script: 'test/s3/build.sh', args: [], use: 'backups are tested with it' },
  Kubernetes: {
    script: 'test/kubernetes/build.sh',
    args: [],
    use: 'operator and charts are tested with its API server; KUBEBUILDER_ASSETS may name one instead',
    environment: { XDG_CACHE_HOME: userCache() },
    given: 'KUBEBUILDER_ASSETS',
  },
  'Helm 3': { script: 'test/helm/build.sh', args: ['3'], use: 'it installs the charts on the node' },
}

/** Undefined when the program is installed or was built; otherwise the reason why it is not. */
export async function findMissingProgram(name) {
  const { script, args, use, environment = {}, given } = programs[name]
  if (given !== undefined && process.env[given]) return undefined
  const advice = `Install Go 1.26 or later: ${name} is built from its module; ${use}.`
  const child = spawn(join(root, script), args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  try {
    const [code] = await once(child, 'close')
    return code === 0 ? undefined : `${name} could not be built (exit ${code}). ${advice}`
  } catch (error) {
    return `${name} could not be built (${error.message}). ${advice}`
  }
}

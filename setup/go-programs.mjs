// Builds the programs that tests need from their Go modules before the tests run: a cold build takes minutes and both
// processors, for which no limit of a test has room.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { root } from './ensure.mjs'

const programs = {
  versitygw: { script: 'test/s3/build.sh', args: [], use: 'backups are tested with it' },
  'Helm 3': { script: 'test/helm/build.sh', args: ['3'], use: 'it installs the charts on the node' },
}

/** Undefined when the program is installed or was built; otherwise the reason why it is not. */
export async function findMissingProgram(name) {
  const { script, args, use } = programs[name]
  const advice = `Install Go 1.26 or later: ${name} is built from its module; ${use}.`
  const child = spawn(join(root, script), args, { stdio: ['ignore', 'ignore', 'inherit'] })
  try {
    const [code] = await once(child, 'close')
    return code === 0 ? undefined : `${name} could not be built (exit ${code}). ${advice}`
  } catch (error) {
    return `${name} could not be built (${error.message}). ${advice}`
  }
}

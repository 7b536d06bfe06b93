#!/usr/bin/env node
// Plain JavaScript so that an old Node can still say which one is needed.
const NEEDED_MAJOR = 24

const major = Number(process.versions.node.split('.')[0])
if (major < NEEDED_MAJOR) {
  process.stderr.write(`svc-admin: needs Node ${NEEDED_MAJOR} or newer, this is ${process.versions.node}\n`)
  process.exit(78)
}

const { runCommand } = await import('../src/cli/svc-admin.ts')
process.exitCode = await runCommand({
  argv: process.argv.slice(2),
  env: process.env,
  terminal: { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr },
})

#!/usr/bin/env node
// Plain JavaScript so that an old Node can still say which one is needed.
const NEEDED_MAJOR = 24

const major = Number(process.versions.node.split('.')[0])
if (major < NEEDED_MAJOR) {
  process.stderr.write(`svcd: needs Node ${NEEDED_MAJOR} or newer, this is ${process.versions.node}\n`)
  process.exit(78)
}

const { keepCompiledCode } = await import('./compile-cache.js')
keepCompiledCode()
const { run } = await import('../src/main.ts')
await run(process.argv.slice(2))

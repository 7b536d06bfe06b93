// Plain JavaScript that loads nothing of ours: it runs before everything else.
const { enableCompileCache } = process.getBuiltinModule('node:module')
const { lstatSync, mkdirSync } = process.getBuiltinModule('node:fs')
const { homedir } = process.getBuiltinModule('node:os')
const { isAbsolute, join } = process.getBuiltinModule('node:path')

const WRITABLE_BY_OTHERS = 0o022

function ownFolder() {
  const { XDG_CACHE_HOME: named = '' } = process.env
  const folder = join(isAbsolute(named) ? named : join(homedir(), '.cache'), 'svcd')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(folder)
  return uid === process.getuid?.() && (mode & WRITABLE_BY_OTHERS) === 0 ? folder : undefined
}

/**
 * Keeps what V8 compiles in the user's cache folder for the next start. By default, Node keeps it in the folder for
 * temporary files, under a name that anybody can work out: whoever creates that folder first decides what code the
 * daemon runs. NODE_COMPILE_CACHE names another folder. A user without a folder of their own has no cache.
 */
export function keepCompiledCode() {
  if (process.env.NODE_COMPILE_CACHE) return
  try {
    const folder = ownFolder()
    if (folder !== undefined) enableCompileCache(folder)
  } catch {
    // Without a cache, a start takes a little longer.
  }
}

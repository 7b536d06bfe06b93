import { isBuiltin } from 'node:module'
import type { Plugin } from 'rolldown'

const PREFIX = '\0builtin:'
const RUNTIME = '\0rolldown/'

/**
 * Loads Node's built-in modules without their ESM form, which reads every export when it is created. `node:http` loads
 * some exports only when they are read, among them a whole WebSocket client: 12 MB of memory and most of the start.
 */
export const plainBuiltins: Plugin = {
  name: 'plain-builtins',
  resolveId(source, importer, { kind }) {
    if (kind !== 'import-statement' || !isBuiltin(source)) return undefined
    // The bundler's own runtime runs before every other module, so it cannot import one of ours.
    if (importer?.startsWith(RUNTIME)) return undefined
    return PREFIX + source.replace(/^node:/, '')
  },
  load(id) {
    return id.startsWith(PREFIX) ? sourceOf(id.slice(PREFIX.length)) : undefined
  },
}

/** A module with the exports of a built-in one. The bundler drops unused exports, so they are never read. */
function sourceOf(name: string): string {
  const builtin = process.getBuiltinModule(name)
  const names = Object.getOwnPropertyNames(builtin).filter((each) => each !== 'default' && IDENTIFIER.test(each))
  return [
    `const builtin = process.getBuiltinModule('node:${name}')`,
    'export default builtin',
    ...names.map((each, index) => `const name${index} = /* @__PURE__ */ (() => builtin.${each})()`),
    `export { ${names.map((each, index) => `name${index} as ${each}`).join(', ')} }`,
  ].join('\n')
}

const IDENTIFIER = /^[a-z_$][\w$]*$/i

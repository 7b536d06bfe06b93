import type { Plugin } from 'rolldown'

// Files of libraries, and the built-in modules that they load for a server or a client that few use.
const LATE: Record<string, readonly string[]> = {
  '/node_modules/fastify/lib/server.js': ['node:https', 'node:http2'],
  '/node_modules/ws/lib/websocket.js': ['https', 'tls'],
}

/**
 * Loads some of Node's modules where a library uses them, instead of with the library: HTTP/2 and TLS are 2 MB of each daemon.
 * Fails when a library loads them in another way than it did.
 */
export const lateBuiltins: Plugin = {
  name: 'late-builtins',
  transform(code, id) {
    const file = Object.keys(LATE).find((path) => id.endsWith(path))
    if (file === undefined) return undefined
    return LATE[file]!.reduce((text, builtin) => {
      const name = builtin.replace('node:', '')
      const load = `require('${builtin}')`
      const line = `const ${name} = ${load}`
      if (!text.includes(line)) throw new Error(`${file} has no line ${line}`)
      // Neither a member of that name, nor a word in a text or an address.
      return text.replace(line, '').replaceAll(new RegExp(`(?<![\\w.$'"/])${name}\\.(?=[a-z])`, 'g'), `${load}.`)
    }, code)
  },
}

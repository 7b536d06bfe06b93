import type { Plugin } from 'rolldown'

// Files of libraries, the lines with which they load built-in modules for a server, a client or a thread that few use,
// the name that each line defines, and what is used in its place.
const LATE: Record<string, readonly { line: string; name: RegExp; instead: string }[]> = {
  '/node_modules/fastify/lib/server.js': [whole('http2', 'node:http2'), whole('https', 'node:https')],
  '/node_modules/ws/lib/websocket.js': [whole('https'), whole('tls')],
  '/node_modules/thread-stream/index.js': [
    {
      line: `const { Worker } = require('worker_threads')`,
      name: used('Worker\\('),
      instead: `(require('worker_threads').Worker)(`,
    },
  ],
  // The daemon's threads do not log.
  '/node_modules/pino/lib/tools.js': [
    { line: `const { isMainThread } = require('worker_threads')`, name: used('isMainThread\\b'), instead: 'true' },
  ],
}

/** A module that a file loads as a whole, and uses by its members. */
function whole(name: string, builtin = name) {
  const load = `require('${builtin}')`
  return { line: `const ${name} = ${load}`, name: used(`${name}\\.(?=[a-z])`), instead: `${load}.` }
}

/** Matches a name in use: neither a member of that name, nor a word in a text or an address. */
function used(name: string): RegExp {
  return new RegExp(`(?<![\\w.$'"/])${name}`, 'g')
}

/**
 * Loads some of Node's modules where a library uses them, instead of with the library: HTTP/2 and TLS are 2 MB of each
 * daemon, threads half a megabyte. Fails when a library loads them in another way than it did.
 */
export const lateBuiltins: Plugin = {
  name: 'late-builtins',
  transform(code, id) {
    const file = Object.keys(LATE).find((path) => id.endsWith(path))
    if (file === undefined) return undefined
    return LATE[file]!.reduce((text, { line, name, instead }) => {
      if (!text.includes(line)) throw new Error(`${file} has no line ${line}`)
      return text.replace(line, '').replaceAll(name, instead)
    }, code)
  },
}

/**
 * The environment of a program of the repository that a test starts: these variables, where programs are, and the
 * compile cache of the run. Without the cache, each start of a control plane compiles its sources for half a second.
 */
export function programEnvironment(variables: Record<string, string>): Record<string, string> {
  const { PATH = '', NODE_COMPILE_CACHE } = process.env
  return { PATH, ...(NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE }), ...variables }
}

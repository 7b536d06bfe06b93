/** The name of a Host header or URL host without its port, lower case; undefined when it is not one. */
export function hostName(host: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::[0-9]{1,5})?$/i.exec(host)
  return match?.[1]?.toLowerCase()
}

/** True for the names and addresses that only this machine can reach. */
export function isLoopbackName(name: string): boolean {
  const bare = name.replace(/^\[|\]$/g, '').toLowerCase()
  return bare === 'localhost' || bare.endsWith('.localhost') || bare === '::1' || /^127(\.\d{1,3}){3}$/.test(bare)
}

type Settings = { url: string; proxy: string | undefined; noProxy: string | undefined }

/**
 * The proxy to reach an address through, by the usual variables: none for plain http and for hosts that NO_PROXY names,
 * exactly or as a domain; `*` names all.
 */
export function proxyFor({ url, proxy, noProxy = '' }: Settings): string | undefined {
  const { protocol, hostname, port } = new URL(url)
  if (proxy === undefined || protocol !== 'https:') return undefined
  const excluded = noProxy
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [name = '', onlyPort] = entry.toLowerCase().split(':')
      if (onlyPort !== undefined && onlyPort !== (port || '443')) return false
      const domain = name.replace(/^\*?\./, '')
      return name === '*' || hostname === domain || hostname.endsWith(`.${domain}`)
    })
  return excluded ? undefined : proxy
}

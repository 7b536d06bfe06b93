/** What an identity provider says about a person, as far as it matters here. */
export type ProviderProfile = { email?: unknown; email_verified?: unknown; hd?: unknown }

/**
 * Google is trusted for its own mail and for domains that it hosts (`hd`). For any other address, an account there only
 * shows that somebody controlled the address once.
 */
export function isProvenByGoogle(profile: ProviderProfile): boolean {
  const domain = domainOf(profile)
  if (domain === undefined) return false
  return domain === 'gmail.com' || domain === 'googlemail.com' || profile.hd === domain
}

/** Another provider is trusted for the domains that the configuration names for it. */
export function isProvenByProvider(profile: ProviderProfile, domains: readonly string[]): boolean {
  const domain = domainOf(profile)
  return domain !== undefined && domains.includes(domain)
}

function domainOf({ email, email_verified }: ProviderProfile): string | undefined {
  if (typeof email !== 'string' || email_verified !== true) return undefined
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

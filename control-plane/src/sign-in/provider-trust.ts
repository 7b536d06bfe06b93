/** What an identity provider says of a person, as far as it matters here. */
export type ProviderProfile = { email?: unknown; email_verified?: unknown; hd?: unknown }

/**
 * Google is believed about its own mail and about domains it hosts (`hd`); for any other address an account there only
 * shows that somebody once controlled it.
 */
export function isProvenByGoogle(profile: ProviderProfile): boolean {
  const domain = domainOf(profile)
  if (domain === undefined) return false
  return domain === 'gmail.com' || domain === 'googlemail.com' || profile.hd === domain
}

/** Another provider is believed about the domains that the platform's configuration names for it. */
export function isProvenByProvider(profile: ProviderProfile, domains: readonly string[]): boolean {
  const domain = domainOf(profile)
  return domain !== undefined && domains.includes(domain)
}

function domainOf({ email, email_verified }: ProviderProfile): string | undefined {
  if (typeof email !== 'string' || email_verified !== true) return undefined
  return email.slice(email.lastIndexOf('@') + 1).toLowerCase()
}

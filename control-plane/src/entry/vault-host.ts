const PLACEHOLDER = '{label}'

/** The host labels of one template, for example `https://{label}.vaults.example.net`. Pure. */
export function createVaultHosts(template: string) {
  const sample = new URL(template.replace(PLACEHOLDER, 'label'))
  const suffix = sample.host.slice('label'.length)

  return {
    secure: sample.protocol === 'https:',

    /** True for a Host in the form of the template, whether or not anybody has that label. */
    matches: (host: string): boolean => labelOf(host, suffix) !== undefined,

    /** The label and generation of a Host, or undefined for any other. */
    parse: (host: string): { label: string; generation: number } | undefined => {
      const text = labelOf(host, suffix)
      const [, label, generation] = /^([a-z2-7]{20})-([1-9][0-9]{0,5})$/.exec(text ?? '') ?? []
      return label && generation ? { label, generation: Number(generation) } : undefined
    },

    /** The web origin of a label and generation. */
    origin: (label: string, generation: number): string => `${sample.protocol}//${label}-${generation}${suffix}`,
  }
}

function labelOf(host: string, suffix: string): string | undefined {
  const lower = host.toLowerCase()
  const label = lower.endsWith(suffix) ? lower.slice(0, -suffix.length) : ''
  return /^[a-z0-9-]+$/.test(label) ? label : undefined
}

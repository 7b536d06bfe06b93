const KEY = 'svc.entered'
const SOON_MS = 15_000

type Options = { storage: Pick<Storage, 'getItem' | 'setItem'>; vault: string; now: number }

/**
 * Whether a page may enter a vault automatically. A browser that refuses the cookie of the vault origin comes back here
 * at once, and another automatic entry would loop forever.
 */
export function mayEnterUnasked({ storage, vault, now }: Options): boolean {
  try {
    const [last, at] = (storage.getItem(KEY) ?? '').split(' ')
    storage.setItem(KEY, `${encodeURIComponent(vault)} ${now}`)
    return last !== encodeURIComponent(vault) || now - Number(at) > SOON_MS
  } catch {
    return true
  }
}

const KEY = 'svc.entered'
const SOON_MS = 15_000

type Options = { storage: Pick<Storage, 'getItem' | 'setItem'>; vault: string; now: number }

/**
 * Whether a page may enter a vault without being asked. A browser that refuses the cookie of the vault origin is sent back
 * here at once; entering again by itself would go round forever.
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

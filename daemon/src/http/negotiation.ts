/**
 * The offered content type that an Accept header prefers; undefined if it accepts none. Of types with equal quality, a
 * type that is named wins over one that only a wildcard matches, then the first offer wins.
 */
export function negotiate(accept: string | undefined, offers: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === '') return offers[0]
  const ranges = accept.split(',').map(parseRange)
  const rated = offers.map((offer) => ({ offer, ...ratingOf(offer, ranges) }))
  const best = rated.reduce((a, b) => ((b.quality - a.quality || b.precision - a.precision) > 0 ? b : a))
  return best.quality > 0 ? best.offer : undefined
}

type Range = { type: string; subtype: string; quality: number }

function parseRange(text: string): Range {
  const [media = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase())
  const [type = '', subtype = ''] = media.split('/')
  const q = parameters.find((parameter) => parameter.startsWith('q='))
  const quality = q === undefined ? 1 : Number(q.slice(2))
  return { type, subtype, quality: Number.isNaN(quality) ? 0 : quality }
}

function ratingOf(offer: string, ranges: readonly Range[]): { quality: number; precision: number } {
  const [type, subtype] = offer.split('/')
  const matching = ranges
    .filter(
      (range) => (range.type === '*' || range.type === type) && (range.subtype === '*' || range.subtype === subtype),
    )
    .map((range) => ({ ...range, precision: (range.type === '*' ? 0 : 1) + (range.subtype === '*' ? 0 : 1) }))
    .sort((a, b) => b.precision - a.precision)
  return matching[0] ?? { quality: 0, precision: 0 }
}

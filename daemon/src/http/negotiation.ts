/** The first offered content type that an Accept header accepts, ordered by its qualities; undefined for none. */
export function negotiate(accept: string | undefined, offers: readonly string[]): string | undefined {
  if (accept === undefined || accept.trim() === '') return offers[0]
  const ranges = accept.split(',').map(parseRange)
  const rated = offers.map((offer) => ({ offer, quality: qualityOf(offer, ranges) }))
  const best = rated.reduce((a, b) => (b.quality > a.quality ? b : a))
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

function qualityOf(offer: string, ranges: readonly Range[]): number {
  const [type, subtype] = offer.split('/')
  const matching = ranges
    .filter(
      (range) => (range.type === '*' || range.type === type) && (range.subtype === '*' || range.subtype === subtype),
    )
    .map((range) => ({ ...range, precision: (range.type === '*' ? 0 : 1) + (range.subtype === '*' ? 0 : 1) }))
    .sort((a, b) => b.precision - a.precision)
  return matching[0]?.quality ?? 0
}

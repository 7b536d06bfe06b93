const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
]

/** A time in everyday words: "just now", "3 minutes ago", "in 6 days". */
export function relativeTime(iso: string, now: Date): string {
  const seconds = (new Date(iso).getTime() - now.getTime()) / 1000
  const format = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
  // Round future times: otherwise an expiry in seven days would be "in 6 days" one second later.
  const count = seconds > 0 ? Math.round : Math.trunc
  for (const [unit, length] of units)
    if (Math.abs(seconds) >= length) return format.format(count(seconds / length), unit)
  return seconds > 5 ? 'in less than a minute' : 'just now'
}

/** A number of bytes in everyday units: "1.4 GB". */
export function humanBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`
  const power = Math.min(4, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${value >= 100 ? Math.round(value) : Number(value.toFixed(1))} ${['B', 'kB', 'MB', 'GB', 'TB'][power]}`
}

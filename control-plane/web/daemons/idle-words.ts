const units = [
  { name: 'day', seconds: 86_400 },
  { name: 'hour', seconds: 3600 },
  { name: 'minute', seconds: 60 },
  { name: 'second', seconds: 1 },
]

/** An idle time in the largest unit that divides it; 0 means never. */
export function idleWords(seconds: number): string {
  if (seconds === 0) return 'Never'
  const unit = units.find((one) => seconds % one.seconds === 0)!
  const count = seconds / unit.seconds
  return `${count} ${unit.name}${count === 1 ? '' : 's'}`
}

import { humanBytes } from '../controls/relative-time.ts'

/** How full a volume is, as a bar and in words. */
export function StorageMeter({ usedBytes, capacityBytes }: { usedBytes: number; capacityBytes: number }) {
  const words = `${humanBytes(usedBytes)} of ${humanBytes(capacityBytes)}`
  return (
    <span className="meter-row">
      <meter
        className="meter"
        min={0}
        max={capacityBytes}
        low={capacityBytes * 0.75}
        high={capacityBytes * 0.9}
        optimum={0}
        value={usedBytes}
        aria-label="Storage used"
      />
      {words}
    </span>
  )
}

import { loadPart } from '@svc/shared/design/load-part.ts'
import { useEffect, useState } from 'react'

/**
 * A text as a QR code. It is drawn in the browser, because the text is a secret. The key beside it is for people who
 * cannot scan.
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ size: number; path: string }>()

  useEffect(() => {
    let current = true
    void loadPart(() => import('uqr')).then(({ encode }) => {
      const { data, size } = encode(text, { border: 3 })
      const squares = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : '')))
      if (current) setDrawn({ size, path: squares.join('') })
    })
    return () => {
      current = false
    }
  }, [text])

  // Scanners want dark squares on a light ground, in both themes.
  return (
    <div className="qr-code">
      {drawn !== undefined && (
        <svg role="img" aria-label={label} viewBox={`0 0 ${drawn.size} ${drawn.size}`} shapeRendering="crispEdges">
          <rect width={drawn.size} height={drawn.size} fill="white" />
          <path d={drawn.path} fill="black" />
        </svg>
      )}
    </div>
  )
}

import { CircleAlert, CircleCheck, Info, Lightbulb, List, Quote, TriangleAlert } from 'lucide-react'
import { createRoot } from 'react-dom/client'

const drawings: Record<string, typeof Info> = {
  info: Info,
  tip: Lightbulb,
  success: CircleCheck,
  warning: TriangleAlert,
  danger: CircleAlert,
  example: List,
  quote: Quote,
}

const drawn = new Map<string, Promise<SVGSVGElement>>()

/** Draws an icon once; callouts get copies of it. */
function draw(look: string): Promise<SVGSVGElement> {
  const Drawing = drawings[look] ?? Info
  return new Promise((resolve) => {
    const take = (svg: SVGSVGElement | null) => void (svg && resolve(svg))
    createRoot(document.createElement('span')).render(<Drawing ref={take} className="icon" aria-hidden="true" />)
  })
}

/** The element for a callout's icon. The drawing is inserted in a later task of the browser. */
export function calloutIcon(look: string): HTMLElement {
  const place = document.createElement('span')
  place.className = 'callout-icon'
  const drawing = drawn.get(look) ?? draw(look)
  drawn.set(look, drawing)
  void drawing.then((svg) => place.replaceChildren(svg.cloneNode(true)))
  return place
}

/** An image reference; a digest is cut to its beginning, whole on hover. */
export function ImageName({ image }: { image: string }) {
  const [name = image, digest] = image.split('@')
  return (
    <code title={image} className="image-name">
      {name}
      {digest !== undefined && `@${digest.slice(0, 19)}…`}
    </code>
  )
}

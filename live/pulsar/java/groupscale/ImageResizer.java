package groupscale;

import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import javax.imageio.ImageIO;

/** Makes images smaller, in memory. */
final class ImageResizer {
    static {
        // Else every image goes through a file.
        ImageIO.setUseCache(false);
    }

    private ImageResizer() {
    }

    /** An image file as a JPEG of a width; its height follows. */
    static byte[] resized(byte[] file, int width) throws IOException {
        BufferedImage image = ImageIO.read(new ByteArrayInputStream(file));
        if (image == null) {
            throw new IOException("the record carries no image");
        }
        int height = Math.max(1, Math.round(image.getHeight() * (float) width / image.getWidth()));
        BufferedImage small = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        Graphics2D canvas = small.createGraphics();
        canvas.setRenderingHint(RenderingHints.KEY_INTERPOLATION,
                RenderingHints.VALUE_INTERPOLATION_BILINEAR);
        canvas.drawImage(image, 0, 0, width, height, null);
        canvas.dispose();
        ByteArrayOutputStream written = new ByteArrayOutputStream();
        ImageIO.write(small, "jpg", written);
        return written.toByteArray();
    }
}

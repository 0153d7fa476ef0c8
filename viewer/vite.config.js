// Builds the page into one file: program and style stand inside it, and it asks the network for nothing.
// The result is committed beside the Rust code that fills it, so that cargo needs no node.

import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const bundle = fileURLToPath(new URL("../crates/stiction-page/src/page.html", import.meta.url));

/** Puts the built program and style into the HTML and writes that to `bundle`. */
const oneFile = {
  name: "one-file",
  enforce: "post",
  generateBundle(_options, files) {
    const all = Object.values(files);
    const script = all.find((file) => file.type === "chunk").code;
    const style = all.find((file) => file.fileName.endsWith(".css")).source;
    const page = all.find((file) => file.fileName.endsWith(".html")).source;
    // Functions as replacements: `$` means nothing special in what they return.
    const text = page
      .replace(/\s*<script type="module"[^>]*><\/script>/, "")
      .replace(/\s*<link rel="stylesheet"[^>]*>/, () => `\n    <style>${style.trim()}</style>`)
      .replace("<!--program-->", () => `<script type="module">${script.trim().replaceAll("</script", "<\\/script")}</script>`);
    writeFileSync(process.env.STICTION_BUNDLE ?? bundle, text);
    for (const name of Object.keys(files)) delete files[name];
  },
};

export default {
  build: { emptyOutDir: false, modulePreload: false, target: "es2022", assetsInlineLimit: 1e9, cssCodeSplit: false, chunkSizeWarningLimit: 1e4 },
  plugins: [oneFile],
};

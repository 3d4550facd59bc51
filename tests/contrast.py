"""Contrast of every text of a page, as defined by WCAG 2.1."""

# Colours are read from a canvas, which knows every notation, and blended over the background.
CONTRASTS = """() => {
    const context = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
    const rgba = colour => {
        context.clearRect(0, 0, 1, 1);
        context.fillStyle = colour;
        context.fillRect(0, 0, 1, 1);
        const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
        return [r, g, b, a / 255];
    };
    const over = ([r, g, b, a], under) => [r, g, b].map((v, i) => a * v + (1 - a) * under[i]);
    const behind = element => {
        const layers = [];
        for (let e = element; e; e = e.parentElement)
            layers.unshift(getComputedStyle(e).backgroundColor);
        const ground = [255, 255, 255];
        return layers.reduce((under, layer) => over(rgba(layer), under), ground);
    };
    const luminance = colour => {
        const [r, g, b] = colour.map(v => v / 255).map(v =>
            v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const found = [];
    for (const element of document.querySelectorAll("body *")) {
        const own = [...element.childNodes].some(n => n.nodeType === 3 && n.textContent.trim());
        if (!own || ["SCRIPT", "STYLE", "OPTION"].includes(element.tagName)) continue;
        if (!element.getClientRects().length) continue;
        const style = getComputedStyle(element);
        const under = behind(element);
        const ink = over(rgba(element instanceof SVGElement ? style.fill : style.color), under);
        const [low, high] = [luminance(ink), luminance(under)].sort((a, b) => a - b);
        const text = element.textContent.slice(0, 40);
        found.push([element.tagName, text, (high + 0.05) / (low + 0.05)]);
    }
    return found;
}"""

"""The renderer's shader programs; their numbers come from `look` as uniforms, so that both renderers have one look."""

VERTEX = """
#version 330
uniform mat4 clip;
uniform mat3 rotation;
uniform float splat;
in vec3 point;
in vec3 paint;
out vec3 turned;
out vec3 albedo;
void main() {
    gl_Position = clip * vec4(point, 1.0);
    gl_PointSize = splat;
    turned = rotation * point;
    albedo = paint;
}
"""
"""`turned` is the point on eye axes, its origin still the middle of the sphere."""

LIGHT = """
#version 330
uniform vec3 key, key_colour, fill, fill_colour, sky, ground;
uniform float key_wrap, fill_wrap, rim, far;
in vec3 turned;
in vec3 albedo;
layout(location = 0) out vec4 colour;
layout(location = 1) out float depth;

// Depth is kept less `far`, so that clearing everything to zero leaves the ground at `far`.

vec3 shade(vec3 normal) {
    vec3 light = key_colour * max((dot(normal, key) + key_wrap) / (1.0 + key_wrap), 0.0);
    light += fill_colour * max((dot(normal, fill) + fill_wrap) / (1.0 + fill_wrap), 0.0);
    light += mix(ground, sky, (normal.y + 1.0) / 2.0);
    float away = 1.0 - clamp(normal.z, 0.0, 1.0);
    return light * (1.0 - rim * away * away);
}

vec3 encode(vec3 linear) {
    vec3 value = clamp(linear, 0.0, 1.0);
    return mix(12.92 * value, 1.055 * pow(value, vec3(1.0 / 2.4)) - 0.055, greaterThan(value, vec3(0.0031308)));
}
"""

FACE = (
    LIGHT
    + """
void main() {
    // The picture's own derivatives give the plane of the face, already turned to the eye: no normals, no wrong side.
    vec3 normal = cross(dFdx(turned), dFdy(turned));
    float size = length(normal);
    normal = size > 0.0 ? normal / size : vec3(0.0, 0.0, 1.0);
    colour = vec4(encode(shade(normal) * albedo), 1.0);
    depth = (1.0 - turned.z) / 2.0 - far;
}
"""
)

BALL = (
    LIGHT
    + """
void main() {
    vec2 place = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
    float towards = 1.0 - dot(place, place);
    if (towards <= 0.0) discard;
    colour = vec4(encode(shade(vec3(place, sqrt(towards))) * albedo), 1.0);
    depth = (1.0 - turned.z) / 2.0 - far;
}
"""
)

WHOLE = """
#version 330
in vec2 corner;
void main() { gl_Position = vec4(corner, 0.0, 1.0); }
"""
"""A rectangle over the whole picture."""

NEAREST = """
uniform sampler2D depths;
uniform float far;
layout(location = 0) out float nearest;
void main() {
    ivec2 first = ivec2(gl_FragCoord.xy) * COUNT;
    float least = 0.0;
    for (int i = 0; i < COUNT; ++i)
        for (int j = 0; j < COUNT; ++j)
            least = min(least, texelFetch(depths, first + ivec2(i, j), 0).r);
    nearest = least + far;
}
"""
"""The nearest depth of all samples of a pixel."""

RESOLVE = """
uniform sampler2D colours, nearest;
uniform ivec2 size;
uniform ivec2 offsets[PAIRS];
uniform float weights[PAIRS], units[PAIRS], borders[PAIRS];
uniform float hollow, ridge, outline, far;
layout(location = 0) out vec4 pixel;

float depth(ivec2 place) {
    bool inside = all(greaterThanEqual(place, ivec2(0))) && all(lessThan(place, size));
    return inside ? texelFetch(nearest, clamp(place, ivec2(0), size - 1), 0).r : far;
}

float relief(ivec2 here) {
    float own = texelFetch(nearest, here, 0).r;
    float total = 0.0, border = 0.0;
    for (int k = 0; k < PAIRS; ++k) {
        float one = depth(here + offsets[k]), two = depth(here - offsets[k]);
        bool both = max(one, two) < far;
        total += both ? weights[k] * clamp(((one + two) / 2.0 - own) * units[k], -1.0, 1.0) : 0.0;
        border += both ? 0.0 : borders[k];
    }
    return 1.0 + (total < 0.0 ? hollow : ridge) * total - outline * min(2.0 * border, 1.0);
}

void main() {
    ivec2 here = ivec2(gl_FragCoord.x, float(size.y) - gl_FragCoord.y);  // top row first
    vec4 sum = vec4(0.0);
    for (int i = 0; i < COUNT; ++i)
        for (int j = 0; j < COUNT; ++j)
            sum += texelFetch(colours, here * COUNT + ivec2(i, j), 0);
    vec3 mean = sum.rgb / max(sum.a, 1.0);
    if (RELIEF && sum.a > 0.0) mean *= relief(here);
    pixel = vec4(clamp(mean, 0.0, 1.0), sum.a / float(COUNT * COUNT));
}
"""
"""Samples averaged into pixels, with the relief of `relief.relief`; alpha straight.

COUNT, PAIRS and RELIEF stand before it as constants: loops over uniforms take Mesa without a GPU ten times as long.
"""


def constants(count: int, pairs: int, relief: bool) -> str:
    """First lines of NEAREST and RESOLVE: samples along a pixel's side, neighbours compared, whether at all."""
    return f"#version 330\n#define COUNT {count}\n#define PAIRS {pairs}\n#define RELIEF {str(relief).lower()}\n"

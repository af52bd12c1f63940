//! The pictures of an issue: read from files next to it, checked, and embedded in every mail.
//! Opening a mail downloads none of them: a download would reveal who reads the mail, and most mail
//! programs block it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use imagesize::ImageType;
use percent_encoding::percent_decode_str;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest as _, Sha256};
use unicode_normalization::UnicodeNormalization as _;
use unicode_normalization::char::is_combining_mark;

use crate::config::read_regular;
use crate::content::Site;

const MAX_PICTURE: usize = 1024 * 1024;
const MAX_TOGETHER: usize = 3 * 1024 * 1024;
/// The width of a mail's page in pixels.
const PAGE_WIDTH: usize = 512;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    #[error(
        "the picture {0} has no description: write ![what it shows]({0}) for people who don't see it"
    )]
    NoDescription(String),
    #[error(
        "the picture {0} is on another host: save it beside the file and write ![…](its-name.png)"
    )]
    Elsewhere(String),
    #[error("the picture {0} must be beside the file or in a folder beside it")]
    NotBeside(String),
    #[error("the picture {0} can't be read: {1}")]
    Unreadable(String, String),
    #[error("the picture {0} isn't a JPEG, PNG, GIF or WebP")]
    Kind(String),
    #[error(
        "the picture {0} is larger than {limit} KiB: make it smaller; one of a post is made \
        smaller when the post is published",
        limit = MAX_PICTURE / 1024
    )]
    TooLarge(String),
    #[error(
        "the pictures are larger than {} KiB together: make them smaller, or leave some out",
        MAX_TOGETHER / 1024
    )]
    TooMuch,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// The id by which the HTML refers to it (`cid:…`).
    pub id: String,
    pub media_type: String,
    #[serde(serialize_with = "to_base64", deserialize_with = "from_base64")]
    pub bytes: Vec<u8>,
}

fn to_base64<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&STANDARD.encode(bytes))
}

fn from_base64<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(deserializer)?;
    STANDARD.decode(text).map_err(serde::de::Error::custom)
}

/// A picture's URL in the HTML and its displayed width.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PictureSource {
    pub address: String,
    pub width: usize,
}

/// Path and bytes of the pictures on a post's page, in formats that mail programs support.
pub type PagePictures = Vec<(String, Vec<u8>)>;

/// A photo as on the page: small, and without camera metadata. The build names it by its file's
/// name, its width and its hash.
fn photo(pictures: &PagePictures, name: &str) -> Option<Vec<u8>> {
    let stem = Path::new(name).file_stem()?.to_str()?;
    let start = format!("/assets/{}-", address_part(stem));
    let is_this_photo = |path: &str| {
        let rest = path.strip_prefix(&start);
        let rest = rest.and_then(|rest| rest.split_once('-'));
        rest.is_some_and(|(width, hash)| {
            let is_number = width.bytes().all(|c| c.is_ascii_digit());
            is_number && hash.find('.') == Some(LENGTH_OF_HASH)
        })
    };
    let found = pictures.iter().find(|(path, _)| is_this_photo(path));
    found.map(|(_, bytes)| bytes.clone())
}

const LENGTH_OF_HASH: usize = 8;

/// Matches `addressPart` in `web/build/dist.ts`.
fn address_part(name: &str) -> String {
    let plain = name.nfkd().filter(|c| !is_combining_mark(*c));
    let lower: String = plain.collect::<String>().to_lowercase();
    let words = lower.split(|c: char| !c.is_ascii_lowercase() && !c.is_ascii_digit());
    let words: Vec<_> = words.filter(|word| !word.is_empty()).collect();
    if words.is_empty() {
        "photo".into()
    } else {
        words.join("-")
    }
}

pub struct EmbeddedPictures<'a> {
    /// The folder of the file, if there is one.
    folder: Option<&'a Path>,
    site: &'a Site,
    /// The page of the post, if the issue is one.
    pub page: PagePictures,
    pub embedded: Vec<Picture>,
}

impl<'a> EmbeddedPictures<'a> {
    pub fn new(folder: Option<&'a Path>, site: &'a Site) -> Self {
        Self {
            folder,
            site,
            page: PagePictures::new(),
            embedded: Vec::new(),
        }
    }

    /// Embeds a picture by the name given in the file.
    pub fn embed(&mut self, name: &str, description: &str) -> Result<PictureSource, PictureError> {
        if description.trim().is_empty() {
            return Err(PictureError::NoDescription(name.to_owned()));
        }
        if let Some(address) = self.on_the_site(name) {
            return Ok(PictureSource {
                address,
                width: PAGE_WIDTH,
            });
        }
        let bytes = self.read(name)?;
        let (media_type, width) =
            kind(&bytes).ok_or_else(|| PictureError::Kind(name.to_owned()))?;
        let id = self.keep(bytes, media_type)?;
        Ok(PictureSource {
            address: format!("cid:{id}"),
            width: width.min(PAGE_WIDTH),
        })
    }

    /// The URL of a picture that is on the site.
    fn on_the_site(&self, name: &str) -> Option<String> {
        let url = &self.site.url;
        let path = name.strip_prefix(url.as_str()).unwrap_or(name);
        let is_path = path.starts_with('/') && !path.starts_with("//");
        is_path.then(|| format!("{url}{path}"))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, PictureError> {
        let path = self.path_of(name)?;
        let unreadable = |error: std::io::Error| {
            PictureError::Unreadable(name.to_owned(), error.kind().to_string())
        };
        let size = fs::metadata(&path).map_err(unreadable)?.len();
        match photo(&self.page, &path.to_string_lossy()) {
            Some(bytes) => Ok(bytes),
            None if size > MAX_PICTURE as u64 => Err(PictureError::TooLarge(name.to_owned())),
            None => {
                let read = read_regular(&path, MAX_PICTURE as u64);
                Ok(read.map_err(unreadable)?.0)
            }
        }
    }

    fn path_of(&self, name: &str) -> Result<PathBuf, PictureError> {
        let scheme = name.split(['/', '?', '#']).next().unwrap_or_default();
        if name.starts_with("//") || scheme.contains(':') {
            return Err(PictureError::Elsewhere(name.to_owned()));
        }
        let not_beside = || PictureError::NotBeside(name.to_owned());
        let decoded = percent_decode_str(name).decode_utf8();
        let path = PathBuf::from(decoded.map_err(|_| not_beside())?.as_ref());
        let is_beside = |part: Component<'_>| matches!(part, Component::Normal(_));
        match self.folder {
            Some(folder) if path.components().all(is_beside) => Ok(folder.join(path)),
            _ => Err(not_beside()),
        }
    }

    /// Embeds a picture once, even if it is shown twice.
    fn keep(&mut self, bytes: Vec<u8>, media_type: &str) -> Result<String, PictureError> {
        let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(&bytes));
        let host = self.site.url.rsplit('/').next().unwrap_or_default();
        let id = format!("{}@{host}", &hash[..22]);
        if !self.embedded.iter().any(|picture| picture.id == id) {
            self.embedded.push(Picture {
                id: id.clone(),
                media_type: media_type.to_owned(),
                bytes,
            });
        }
        let together: usize = self.embedded.iter().map(|each| each.bytes.len()).sum();
        if together > MAX_TOGETHER {
            Err(PictureError::TooMuch)
        } else {
            Ok(id)
        }
    }
}

/// Media type and width; `None` if it is broken or not every mail program supports it.
fn kind(bytes: &[u8]) -> Option<(&'static str, usize)> {
    let media_type = match imagesize::image_type(bytes).ok()? {
        ImageType::Png => "image/png",
        ImageType::Gif => "image/gif",
        ImageType::Jpeg => "image/jpeg",
        ImageType::Webp => "image/webp",
        _ => return None,
    };
    let width = imagesize::blob_size(bytes).ok()?.width;
    (width > 0).then_some((media_type, width))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::site;

    /// The start of a PNG, up to its size.
    fn png(width: u32) -> Vec<u8> {
        let head = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR";
        [
            &head[..],
            &width.to_be_bytes(),
            &[0, 0, 0, 9, 8, 6, 0, 0, 0],
        ]
        .concat()
    }

    #[test]
    fn a_picture_beside_the_file_is_embedded_once_and_shown_no_wider_than_the_page() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("my plan.png"), png(2000)).unwrap();
        fs::write(folder.path().join("icon.png"), png(40)).unwrap();
        let mut pictures = EmbeddedPictures::new(Some(folder.path()), site());
        let plan = pictures.embed("my%20plan.png", "A plan").unwrap();
        assert!(plan.address.starts_with("cid:") && plan.width == PAGE_WIDTH);
        assert_eq!(pictures.embed("my plan.png", "Again").unwrap(), plan);
        assert_eq!(pictures.embed("icon.png", "An icon").unwrap().width, 40);
        assert_eq!(pictures.embedded.len(), 2);
    }

    #[test]
    fn a_photo_is_found_by_the_name_that_the_build_gives_it() {
        let picture = |path: &str| (path.to_owned(), path.as_bytes().to_vec());
        let page = vec![
            picture("/assets/us-2-480-AbCd_-12.jpg"),
            picture("/assets/us-480-A-Cd_-12.jpg"),
        ];
        for (name, found) in [
            ("photos/Üs!.HEIC.jpg", None),
            ("photos/ Üs!.jpg", Some("/assets/us-480-A-Cd_-12.jpg")),
            ("us 2.jpg", Some("/assets/us-2-480-AbCd_-12.jpg")),
        ] {
            let bytes = found.map(|path| path.as_bytes().to_vec());
            assert_eq!(photo(&page, name), bytes, "{name}");
        }
        assert_eq!(address_part("…"), "photo");
    }

    #[test]
    fn a_picture_that_cannot_be_embedded_is_named_with_the_remedy() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        write("drawing.svg", b"<svg/>");
        write("big.png", &[png(9), vec![0; MAX_PICTURE]].concat());
        for number in 0..4 {
            let bytes = [png(9), vec![number; MAX_PICTURE - 100]].concat();
            write(&format!("{number}.png"), &bytes);
        }
        let mut pictures = EmbeddedPictures::new(Some(folder.path()), site());
        for (name, words, says) in [
            ("https://other.example/a.png", "x", "on another host"),
            ("//other.example/a.png", "x", "on another host"),
            ("data:image/png;base64,AAAA", "x", "on another host"),
            ("../secret.png", "x", "beside the file"),
            ("drawing.svg", "x", "isn't a JPEG, PNG, GIF or WebP"),
            ("gone.png", "x", "can't be read"),
            ("big.png", "x", "larger than 1024 KiB"),
            ("drawing.svg", " ", "has no description"),
        ] {
            let error = pictures.embed(name, words).unwrap_err().to_string();
            assert!(error.contains(says) && error.contains(name), "{error}");
        }
        let all: Result<Vec<_>, _> = (0..4)
            .map(|number| pictures.embed(&format!("{number}.png"), "x"))
            .collect();
        assert_eq!(all, Err(PictureError::TooMuch));
    }
}
